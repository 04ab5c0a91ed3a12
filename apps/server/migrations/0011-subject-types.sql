-- `entity` named three things. What is a user or an account is a subject; what a message is about is an object.
alter table attribute_definitions rename column entity to subject_type;
alter table attribute_definitions rename constraint attribute_definitions_entity_check to attribute_definitions_subject_type_check;
alter table segments rename column entity to subject_type;
alter table segments rename constraint segments_entity_check to segments_subject_type_check;
alter table deleted_segments rename column entity to subject_type;
alter table dead_letters rename column entity_id to object_id;
alter index dead_letters_by_entity rename to dead_letters_by_object;
alter table traces rename column entity_id to object_id;
alter index traces_by_entity rename to traces_by_object;
